import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SaveAnswer } from '../../parts/save-answer.tsx'
import { clientOf, serviceUrl, session } from '../../session/session.ts'
import { requestOf, type Span, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly span: Span
  readonly buckets: number
}

/** The request as a line of a shell; the key is not in it. */
function curlOf({ view, span, buckets }: Props): string {
  const body = JSON.stringify(requestOf(view, span, buckets)).replaceAll("'", "'\\''")
  const key = session.get()?.key === null ? '' : ' \\\n  -H "Authorization: Bearer $TIDEMARK_KEY"'
  return `curl -s ${serviceUrl}/consumer/data/${view.how} \\\n  -H 'Content-Type: application/json'${key} \\\n  -d '${body}'`
}

export function SaveAndCopy(props: Props) {
  const { view, span, buckets } = props
  const [open, show] = useState(false)
  return (
    <>
      <SaveAnswer
        name={view.entity}
        chunks={(format, signal) => clientOf(signal).queryBytes(view.how, requestOf(view, span, buckets), format)}
      />
      <button type="button" class="button slim" onClick={() => show(true)}>
        Request…
      </button>
      {open && (
        <Dialog title="The request that was sent" wide onClose={() => show(false)} onSend={() => show(false)}>
          <pre class="code">{curlOf(props)}</pre>
          <div class="actions end">
            <CopyButton text={curlOf(props)} />
            <button type="submit" class="button first">
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
