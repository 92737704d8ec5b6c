import { useState } from 'preact/hooks'
import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import { timedText } from '../../../../src/file-push/rejected-lines.ts'
import { messageOf } from '../../../../src/lib/message-of.ts'
import { precisionNames } from '../../../../src/model/line-format.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextArea } from '../../parts/inputs.tsx'
import { RowText } from '../../parts/row-text.tsx'
import { pusherOf, useKeyMissing } from '../../session/push-key.ts'
import { PushKeyField } from '../../session/push-key-field.tsx'
import { clientOf } from '../../session/session.ts'
import { notify } from '../../shell/toasts.tsx'
import { pushAgain } from './push-again.ts'
import { type ShownIngest, sideOf } from './side.ts'

interface Props {
  readonly ingest: ShownIngest
  readonly row: RejectedRowAnswer
  onClose(): void
  onChanged(): void
}

function faultOfLine(text: string): string | null {
  if (text.trim() === '') return 'The line must not be empty.'
  return /[\r\n]./.test(text.trim()) ? 'This is more than one line.' : null
}

function faultOfText(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'A row must be a JSON object.'
  } catch (error) {
    return messageOf(error)
  }
}

/** Edits the text of a rejected row and pushes it again. The row leaves the list when it is stored. */
export function MendRow({ ingest: { alias }, row, onClose, onChanged }: Props) {
  const { precision } = row
  const [text, setText] = useState(timedText(row))
  const [told, tellFault] = useState(row.message)
  const keyMissing = useKeyMissing()
  const fault = precision === undefined ? faultOfText(text) : faultOfLine(text)
  const form = precision === undefined ? 'JSON' : `a line whose time is in ${precisionNames[precision]}`
  const push = async (signal: AbortSignal): Promise<void> => {
    const outcome = await pushAgain({
      pusher: pusherOf(signal),
      lists: clientOf(signal),
      side: sideOf(),
      alias,
      text,
      precision,
      signal,
    })
    if (outcome !== null) {
      tellFault(outcome)
      throw new Error(`It was rejected again: ${outcome}`)
    }
    await clientOf(signal).discardRejected(alias, [row.id], sideOf())
    notify('The mended row is stored.')
    onChanged()
  }
  return (
    <AskFirst
      title="Mend a row"
      deed="Push it again"
      wide
      ready={fault === null && !keyMissing}
      onClose={onClose}
      onDeed={push}
    >
      <div class="note bad">
        <p dir="auto">{told}</p>
        <RowText text={row.row} field={row.field} />
      </div>
      <TextArea label="The row" value={text} onValue={setText} rows={7} />
      <p class="small soft" role="status">
        {fault ?? `It is ${form}. When it is stored, the old row leaves the list.`}
      </p>
      <PushKeyField />
    </AskFirst>
  )
}
