/// A disposable that can say what its disposal consists of instead of doing it.
///
/// `beginTeardown` flips the flag and hands the contents over, once; ``Teardown`` then walks them
/// with a stack of its own, so that the depth of a chain of disposables is not the depth of the
/// call stack.
protocol TeardownNode: Disposable {
    func beginTeardown() -> TeardownStep
}

/// What the disposal of one node consists of.
enum TeardownStep {
    /// The node had been disposed before.
    case nothing
    /// Run this closure.
    case action(@Sendable () -> Void)
    /// Dispose this one.
    case child(any Disposable)
    /// Dispose these, the last first.
    case children([any Disposable])
}

/// Walks a graph of disposables iteratively.
enum Teardown {
    /// How deep actions may call `dispose()` on each other before the rest is left to the loop of
    /// the outermost call.
    ///
    /// Below it a nested `dispose()` has done its work when it returns.
    private static let maximumDepth = 64

    /// The walk that the current thread is in.
    @TaskLocal private static var current: TeardownWalk?

    /// Disposes `node` and everything below it.
    static func run(_ node: some TeardownNode) {
        let first = node.beginTeardown()
        switch first {
        case .nothing:
            return
        case .child(let child) where !(child is any TeardownNode):
            child.dispose()
        case .action, .child, .children:
            enter(first)
        }
    }

    private static func enter(_ first: TeardownStep) {
        if let walk = current, let depth = walk.enter() {
            if depth > maximumDepth {
                walk.leave(deferring: first)
            } else {
                perform([first])
                walk.leave()
            }
            return
        }
        let walk = TeardownWalk()
        $current.withValue(walk) {
            var next: [TeardownStep]? = [first]
            while let steps = next {
                perform(steps)
                next = walk.takeDeferred()
            }
        }
    }

    private static func perform(_ steps: [TeardownStep]) {
        var stack = steps
        while let step = stack.popLast() {
            switch step {
            case .nothing:
                continue
            case .action(let action):
                action()
            case .child(let child):
                push(child, on: &stack)
            case .children(var children):
                guard let last = children.popLast() else { continue }
                if !children.isEmpty { stack.append(.children(children)) }
                push(last, on: &stack)
            }
        }
    }

    private static func push(_ disposable: any Disposable, on stack: inout [TeardownStep]) {
        if let node = disposable as? any TeardownNode {
            stack.append(node.beginTeardown())
        } else {
            disposable.dispose()
        }
    }
}
