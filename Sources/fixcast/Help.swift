/// The texts of `--help` and `help COMMAND`.
enum Help {
    static let overview = """
        fixcast serves a live stream of locations as Server-Sent Events.

        usage:
          fixcast serve [SOURCE ...] [OPTION ...]   run the service; without SOURCE: demo=sim:
          fixcast decode FILE[?PARAM=VALUE&...]     FILE's fixes as NDJSON on stdout
          fixcast check FILE ... [--json]           what is in FILE, and what cannot be used
          fixcast healthcheck [URL]                 exit 0 if the service is healthy, else 1
          fixcast --help | --version | help COMMAND

        Exit status: 0 success; 1 it could not do it; 2 wrong usage.

        """

    static let decode = """
        usage: fixcast decode FILE[?PARAM=VALUE&...] [--strict]

        Writes FILE's fixes to stdout, one JSON object a line, as fast as it can, and the parse
        report to stderr. FILE may be - for standard input.

        PARAM: speed, tz, date, split, order, maxGap and interval, as for a track that is served;
        rate, loop and resume are checked and have no effect.
        --strict: exit with 1 if anything in the file could not be used.

        """

    static let check = """
        usage: fixcast check FILE ... [--json] [--strict]

        Reads each FILE and reports what is in it and what cannot be used, with line and column.
        FILE may be - for standard input.

        --json: one JSON object a line.
        --strict: exit with 1 if anything in a file could not be used.

        """

    static let healthcheck = """
        usage: fixcast healthcheck [URL]

        Exit 0 if GET URL answers 200, else 1. Without URL: /livez at the address that
        FIXCAST_LISTEN gives, or at 127.0.0.1:8080.

        """

    static let serve =
        """
        usage: fixcast serve [SOURCE ...] [OPTION ...]

        SOURCE is [DEVICE=]LOCATOR[?PARAM=VALUE&...]:
          sim:                 a simulator. route=LAT,LON;LAT,LON;... profile=walk interval=1s
                               noise=open-sky seed=0 count=1 ttff=0s outages=off resume=restart
          FILE or FOLDER       a recorded track, or every track in a folder. rate=1 loop=true
                               maxGap=60s speed=1.4 interval= tz=UTC date= split=none
                               resume=restart order=drop
          follow:FILE          a file that another program is still writing
          -                    standard input, live. date=
          gpsd://HOST[:2947]   a gpsd daemon. device=

        OPTION, each also as the environment variable beside it:

        """ + options + "\n"

    private static var options: String {
        ServeOption.all.map { option in
            """
              \(option.name) \(option.placeholder)  (\(option.variable))
                  \(option.help) [\(option.defaultText)]

            """
        }.joined()
    }
}
