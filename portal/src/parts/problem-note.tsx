import { ConnectionError, ServiceError } from '../../../src/client/service-error.ts'
import { messageOf } from '../../../src/lib/message-of.ts'

function textOf(error: unknown): string {
  if (error instanceof ServiceError) return error.detail
  if (error instanceof ConnectionError)
    return 'The service cannot be reached just now. It is tried again as soon as it answers.'
  return messageOf(error)
}

interface Props {
  readonly error: unknown
  /** What it is about, where that is a part of what is shown. */
  readonly of?: string
}

/** What the service says is wrong, in its own words. Shows nothing where nothing is. */
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
