internal import FixcastService
private import Glibc

FileWriter.reserveStandardDescriptors()

let status = FixcastCommand(
    arguments: Array(CommandLine.arguments.dropFirst()),
    environment: Environment.current
).run()
exit(status.rawValue)
