import Glibc

let usage = """
    usage: reactive-benchmark [measure [NAME]] [--check]
           reactive-benchmark churn [--full | SECONDS]
    """

/// Measures, and with `--check` fails when a bar is not met.
func measure(_ arguments: [String]) -> Int32 {
    let only = arguments.first { !$0.hasPrefix("-") }
    let bars = Bars.measureAll(only: only)
    guard !bars.isEmpty else { return fail("there is no measurement called \(only ?? "")") }
    show(Bar.heading)
    for bar in bars { show(bar.row) }
    return arguments.contains("--check") && bars.contains { !$0.isMet } ? 1 : 0
}

/// Lets threads come and go for some seconds, and says what went wrong.
func churn(_ arguments: [String]) -> Int32 {
    let seconds = arguments.first == "--full" ? 30 : Int(arguments.first ?? "3")
    guard let seconds, seconds > 0 else { return fail(usage) }
    let churn = ChurnStress()
    let faults = churn.run(threads: 4, for: .seconds(seconds))
    show(churn.summary)
    for fault in faults.prefix(10) { show(fault) }
    return faults.isEmpty ? 0 : 1
}

func fail(_ text: String) -> Int32 {
    show(text)
    return 2
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "churn": exit(churn(Array(arguments.dropFirst())))
case "measure": exit(measure(Array(arguments.dropFirst())))
case nil, "--check": exit(measure(arguments))
default: exit(fail(usage))
}
