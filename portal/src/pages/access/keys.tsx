import { useState } from 'preact/hooks'
import type { KeySummary } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { Empty, Panel } from '../../parts/layout.tsx'
import { DeedsHead, TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { clientOf } from '../../session/session.ts'
import { notify } from '../../shell/toasts.tsx'
import { NewKey } from './new-key.tsx'
import { rightTexts } from './rights.ts'

interface Props {
  readonly subscriber: string
  readonly keys: readonly KeySummary[]
  onChanged(): void
}

export function KeyTable({ subscriber, keys, onChanged }: Props) {
  const [making, make] = useState(false)
  const [ending, end] = useState<KeySummary | null>(null)
  const newKey = (
    <button type="button" class="button" onClick={() => make(true)}>
      New key
    </button>
  )
  return (
    <Panel title="Keys" tools={newKey}>
      {keys.length === 0 ? (
        <Empty title="No key yet">
          <p>A program sends a key with each request. The key is shown once, when it is created.</p>
        </Empty>
      ) : (
        <TableFrame name="Keys">
          <thead>
            <tr>
              <th>Key</th>
              <th>It may</th>
              <th>Ends</th>
              <DeedsHead />
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.id}>
                <td class="mono">{key.id}</td>
                <td>{key.rights.map((right) => rightTexts.get(right)).join(', ')}</td>
                <td class="tight">
                  <Time iso={key.expires} />
                </td>
                <td class="tight">
                  <button type="button" class="button slim danger" onClick={() => end(key)}>
                    Revoke…
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {making && <NewKey subscriber={subscriber} onClose={() => make(false)} onChanged={onChanged} />}
      {ending !== null && <RevokeKey id={ending.id} onClose={() => end(null)} onChanged={onChanged} />}
    </Panel>
  )
}

interface RevokeProps {
  readonly id: string
  onClose(): void
  onChanged(): void
}

function RevokeKey({ id, onClose, onChanged }: RevokeProps) {
  return (
    <AskFirst
      title="Revoke the key"
      deed="Revoke it"
      danger
      onClose={onClose}
      onDeed={async (signal) => {
        await clientOf(signal).deleteKey(id)
        notify('The key is revoked.')
        onChanged()
      }}
    >
      <p>
        Requests with <code>{id}</code> are refused from now on.
      </p>
    </AskFirst>
  )
}
