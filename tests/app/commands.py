"""Commands as users give them, for tests."""

from abut.app import cli


def run(capsys, *arguments):
    """Exit code, what was printed and what was said on stderr."""
    code = cli.run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
