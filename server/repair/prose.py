from server.repair.draft import Draft


def repair(draft: Draft) -> str:
    return draft.text
