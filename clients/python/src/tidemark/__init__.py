"""A client of Tidemark, a time-series data service: frames of pandas, Polars and pyarrow out of it and into it."""

from .client import Live, Tidemark, Written
from .errors import NoAnswerError, ServiceError, TidemarkError, WriteError
from .retries import Retries

__all__ = ["Live", "NoAnswerError", "Retries", "ServiceError", "Tidemark", "TidemarkError", "WriteError", "Written"]
