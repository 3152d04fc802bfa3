/// Reads the arguments and environment variables of `fixcast serve`.
enum ServeArguments {
    static func parse(
        _ arguments: [String],
        environment: Environment
    ) throws(CommandFailure) -> ServeSettings {
        var given: [String: [String]] = [:]
        var sources: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                sources += rest
                break
            }
            guard argument.hasPrefix("--") else {
                if argument.hasPrefix("-"), argument != "-", !argument.hasPrefix("-?") {
                    throw .usage("unknown option '\(argument)'; see fixcast help serve")
                }
                sources.append(argument)
                continue
            }
            let parts = argument.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(parts[0])
            guard ServeOption.all.contains(where: { $0.name == name }) else {
                throw .usage("unknown option '\(name)'; see fixcast help serve")
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw .usage("\(name) needs a value; see fixcast help serve")
            }
            given[name, default: []].append(value)
        }
        return try settings(given, sources, environment)
    }

    private static func settings(
        _ given: [String: [String]],
        _ sources: [String],
        _ environment: Environment
    ) throws(CommandFailure) -> ServeSettings {
        var settings = ServeSettings()
        for option in ServeOption.all {
            let origin: String
            let values: [String]
            if let arguments = given[option.name] {
                origin = option.name
                values = arguments
            } else if let variable = environment[option.variable] {
                origin = option.variable
                let parts = option.isRepeatable ? split(variable, at: ",") : []
                values = parts.isEmpty ? [variable] : parts
            } else if option.name == "--listen" {
                origin = option.name
                values = [option.defaultText]
            } else {
                continue
            }
            if let fault = option.set(&settings, values) {
                throw .usage("\(origin) '\(fault.value)': expected \(fault.expectation)")
            }
        }
        settings.sources = sources
        if sources.isEmpty, let variable = environment["FIXCAST_SOURCES"] {
            settings.sources = split(variable, at: " ")
        }
        if settings.sources.isEmpty { settings.sources = ["demo=sim:"] }
        return settings
    }

    private static func split(_ text: String, at separator: Character) -> [String] {
        text.split(separator: separator).map(String.init)
    }
}
