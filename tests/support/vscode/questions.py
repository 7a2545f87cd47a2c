"""Asking again in the window of an editor."""


def ask_again(window, choice):
    window.command("ghosttape: Ask Here Again with…")
    row = window.page.locator(".quick-input-list .monaco-list-row", has_text=choice).first
    row.wait_for()
    row.click()
