# Builds fixcast with the Swift standard library linked in, and runs it in a plain Debian.
FROM swift:6.2-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libexpat1-dev libgeographiclib-dev libmicrohttpd-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN swift build -c release --product fixcast --static-swift-stdlib -Xlinker -s \
    && install -D "$(swift build -c release --static-swift-stdlib --show-bin-path)/fixcast" \
        /out/fixcast

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libexpat1 libgeographiclib23 libmicrohttpd12 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/fixcast /usr/local/bin/fixcast
USER 10001:10001
ENV FIXCAST_LISTEN=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/usr/local/bin/fixcast", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/fixcast"]
CMD ["serve"]
