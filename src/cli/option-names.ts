import { ServiceError } from '../client/service-error.ts'

/** The refusal with a request's fields as what was typed for them: at the head of the message all, within it those that are no English words. */
export function inOptions(error: unknown, optionsOf: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof ServiceError)) return error
  const detail = error.detail
    .replace(/^\w+(?=(?:\[\d+\])?: )/, (name) => optionsOf.get(name) ?? name)
    .replace(/\b\w+_\w+\b/g, (name) => optionsOf.get(name) ?? name)
  const { status, code, errors, retryable, retryAfterS } = error
  return new ServiceError({ status, code, detail, errors, retryable, retryAfterS })
}
