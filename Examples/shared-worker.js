// Holds the one EventSource of all tabs. Over HTTP/1.1 a browser opens six connections to an origin
// at most, so a seventh tab with a stream of its own would wait for ever.

const service = new URLSearchParams(location.search).get("service");
const ports = new Set();
let source = null;

function follow() {
  source = new EventSource(`${service}/v1/locations`);
  source.onmessage = (event) => {
    const fix = JSON.parse(event.data);
    for (const port of ports) port.postMessage(fix);
  };
}

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = () => {
    ports.delete(port);
    if (ports.size === 0) {
      source.close();
      source = null;
    }
  };
  if (source === null) follow();
};
