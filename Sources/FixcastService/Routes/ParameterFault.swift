internal import HTTPServer

/// A query parameter that cannot be served: which, and what was expected.
struct ParameterFault: Error, Equatable {
    var status = 400
    let parameter: String
    let detail: String

    var problem: Problem {
        Problem(
            status: status,
            detail: detail,
            parameter: parameter
        )
    }
}
