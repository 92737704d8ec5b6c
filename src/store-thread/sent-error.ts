import { Problem } from '../model/problem.ts'
import type { SentError } from './protocol.ts'

/** An error in the form in which it is sent between threads. */
export function sentError(error: unknown): SentError {
  if (error instanceof Problem) {
    return { code: error.code, message: error.message, stack: error.stack, errors: error.errors }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { code: null, message, stack, errors: undefined }
}

export function receivedError(error: SentError): Error {
  if (error.code !== null) {
    return new Problem(error.code, error.message, error.errors === undefined ? {} : { errors: error.errors })
  }
  const failure = new Error(error.message)
  if (error.stack !== undefined) failure.stack = error.stack
  return failure
}
