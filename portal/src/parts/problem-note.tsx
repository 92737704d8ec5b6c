import { ConnectionError, ServiceError } from '../../../src/client/service-error.ts'
import { messageOf } from '../../../src/lib/message-of.ts'

function textOf(error: unknown): string {
  if (error instanceof ServiceError) return error.detail
  if (error instanceof ConnectionError)
    return 'The service cannot be reached. The request is retried as soon as it answers.'
  return messageOf(error)
}

interface Props {
  readonly error: unknown
  /** The part of the page that the error concerns, if it does not concern all of it. */
  readonly of?: string
}

/** The service's own error message. Renders nothing without an error. */
export function ProblemNote({ error, of }: Props) {
  if (error === null || error === undefined) return null
  const code = error instanceof ServiceError ? `${error.status} ${error.code}` : null
  return (
    <div class="note bad" role="alert">
      <p>
        {of !== undefined && (
          <>
            <bdi class="mono">{of}</bdi>:{' '}
          </>
        )}
        {textOf(error)}
      </p>
      {code !== null && <p class="small soft mono">{code}</p>}
    </div>
  )
}
