"""The editor, its windows and the model server behind them, for all tests in VS Code."""

from tests.support.vscode.windows import browser, editor_installed, model, open_file, probe, start_editor  # noqa: F401
