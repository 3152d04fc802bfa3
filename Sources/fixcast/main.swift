private import Glibc

let status = FixcastCommand(
    arguments: Array(CommandLine.arguments.dropFirst()),
    environment: Environment.current
).run()
exit(status.rawValue)
