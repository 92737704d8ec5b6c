import { useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { queryAddress } from '../../../../src/client/query-address.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SaveAnswer } from '../../parts/save-answer.tsx'
import { fileNameOf } from '../../parts/save-file.ts'
import type { Span } from '../../parts/span.ts'
import { clientOf, serviceUrl, session } from '../../session/session.ts'
import { Download } from './download.tsx'
import { type Question, timeOf } from './question.ts'
import type { Shown } from './use-rows.ts'
import type { View } from './view.ts'

const tagsNamed = 3

function savedName({ entity, tags, how }: View, { fromMs, toMs }: Span): string {
  const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace(':', '')}Z`
  const more = tags.length > tagsNamed ? [`and ${tags.length - tagsNamed} more`] : []
  return fileNameOf(entity, ...tags.slice(0, tagsNamed), ...more, how, minute(fromMs), 'to', minute(toMs))
}

/** The request as a URL for spreadsheets and notebooks, without the key. */
function addressOf({ kind, request }: Question): string {
  return `${serviceUrl}/consumer/data/${kind}?${queryAddress(request)}&format=csv`
}

/** The request as a shell command, without the key. */
function curlOf({ kind, request }: Question): string {
  const body = JSON.stringify(request).replaceAll("'", "'\\''")
  const key = session.get()?.key === null ? '' : ' \\\n  -H "Authorization: Bearer $TIDEMARK_KEY"'
  return `curl -s ${serviceUrl}/consumer/data/${kind} \\\n  -H 'Content-Type: application/json'${key} \\\n  -d '${body}'`
}

/** The request as a line of Python; the key is read from the environment. */
function pandasOf(question: Question, time: string): string {
  const key =
    session.get()?.key === null ? '' : ', storage_options={"Authorization": f"Bearer {os.environ[\'TIDEMARK_KEY\']}"}'
  return `pd.read_csv(${JSON.stringify(addressOf(question))}, parse_dates=[${JSON.stringify(time)}]${key})`
}

interface Props {
  readonly shown: Shown
  readonly entity: EntityDescription
}

export function SaveAndCopy({ shown, entity }: Props) {
  const { view, question, span, table } = shown
  const [open, show] = useState(false)
  return (
    <>
      <SaveAnswer
        name={savedName(view, span)}
        table={table}
        arrow={(signal) => clientOf(signal).queryBytes(question.kind, question.request, 'arrow')}
      />
      <Download shown={shown} entity={entity} name={savedName(view, span)} />
      <button type="button" class="button slim" onClick={() => show(true)}>
        Request…
      </button>
      {open && (
        <Dialog title="The request that was sent" wide onClose={() => show(false)} onSend={() => show(false)}>
          <p>
            As an address, for spreadsheets, notebooks and dashboards. With a key, the user may be any and the password
            is the key.
          </p>
          <pre class="code">{addressOf(question)}</pre>
          <div class="actions end">
            <CopyButton text={addressOf(question)} label="Copy address" />
          </div>
          <p>As a command:</p>
          <pre class="code">{curlOf(question)}</pre>
          <div class="actions end">
            <CopyButton text={curlOf(question)} label="Copy command" />
          </div>
          <p>As a line of Python, with pandas:</p>
          <pre class="code">{pandasOf(question, timeOf(view.how, entity))}</pre>
          <div class="actions end">
            <CopyButton text={pandasOf(question, timeOf(view.how, entity))} label="Copy line" />
            <button type="submit" class="button first">
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
