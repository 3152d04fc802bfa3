let only = CommandLine.arguments.dropFirst().first
for bar in Bars.measureAll(only: only) { show(bar.row) }
