"""results.py MODULE FILE: runs the tests of a module, and writes a line to FILE as each ends: its state and its name."""
import sys
import unittest


class Lines(unittest.TextTestResult):
    def line(self, state, test):
        print(state, test.id().removeprefix("numba.cuda.tests."), file=lines)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line("passed", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("failed", test)

    def addError(self, test, err):
        super().addError(test, err)
        self.line("failed", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("skipped", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.line("passed", test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.line("failed", test)


if __name__ == "__main__":  # tests start this file again, by multiprocessing
    module, file = sys.argv[1:]
    lines = open(file, "w", buffering=1)
    tests = unittest.defaultTestLoader.loadTestsFromName(f"numba.cuda.tests.{module}")
    unittest.TextTestRunner(resultclass=Lines, verbosity=2).run(tests)
    print("ended", module, file=lines)
