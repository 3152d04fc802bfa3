/// A disposable that can say what its disposal consists of instead of doing it.
///
/// `beginTeardown` flips the flag and hands the contents over, once; ``Teardown`` then walks them
/// with a stack of its own, so that the depth of a chain of disposables is not the depth of the
/// call stack.
protocol TeardownNode: Disposable {
    func beginTeardown() -> TeardownStep
}

/// What the disposal of one node consists of.
enum TeardownStep: Sendable {
    /// The node had been disposed before, or has no contents.
    case nothing
    /// Run this closure.
    case action(@Sendable () -> Void)
    /// Dispose this one.
    case child(any Disposable)
    /// Dispose these, the last first.
    case children([any Disposable])
    /// Only release what is in here.
    indirect case release(TeardownStep)
}

/// Walks a graph of disposables iteratively.
enum Teardown {
    /// How deep actions may call `dispose()` on each other.
    ///
    /// What is deeper is left to the loop of the outermost call. Above that depth a nested
    /// `dispose()` has done its work when it returns.
    private static let maximumDepth = 64

    /// The walk that the current thread is in.
    @TaskLocal private static var current: TeardownWalk?

    /// Disposes `node` and everything below it.
    static func run(_ node: some TeardownNode) {
        let first = node.beginTeardown()
        if case .nothing = first { return }
        guard let walk = current, let depth = walk.enter() else { return begin(first) }
        if depth > maximumDepth {
            walk.append(first)
        } else {
            perform(first)
        }
        walk.leave()
    }

    /// Releases the contents of a node that goes without having been disposed.
    ///
    /// They are taken inside the walk, so that no frame below it holds them.
    static func release(_ takeContents: () -> TeardownStep) {
        if let walk = current, walk.enter() != nil {
            walk.append(.release(takeContents()))
            walk.leave()
        } else {
            begin(.release(takeContents()))
        }
    }

    private static func begin(_ first: @autoclosure () -> TeardownStep) {
        let walk = TeardownWalk()
        $current.withValue(walk) {
            walk.append(first())
            while let step = walk.takeNext() { perform(step) }
        }
    }

    private static func perform(_ first: TeardownStep) {
        var stack = [first]
        while let step = stack.popLast() {
            switch step {
            case .nothing, .release:
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
