"""The pieces of an answer that have text."""

from server.providers.protocol import AnswerText


def text_pieces(pieces):
    return [piece for piece in pieces if isinstance(piece, AnswerText) and piece.text]


def texts(pieces):
    return [piece.text for piece in text_pieces(pieces)]
