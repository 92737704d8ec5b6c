import { useState } from 'preact/hooks'
import type { KeyRight } from '../../../../src/client/answers.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { AskFirst, Dialog } from '../../parts/dialog.tsx'
import { Check, TextField } from '../../parts/inputs.tsx'
import { clientOf, serviceUrl } from '../../session/session.ts'
import { rightTexts } from './rights.ts'

interface Props {
  readonly subscriber: string
  onClose(): void
  onChanged(): void
}

/** Creates a key and shows it once. */
export function NewKey({ subscriber, onClose, onChanged }: Props) {
  const [rights, setRights] = useState<readonly KeyRight[]>(['ingest', 'consume'])
  const [expires, setExpires] = useState('')
  const [made, setMade] = useState<string | null>(null)
  const make = async (signal: AbortSignal): Promise<void> => {
    const key = { rights, ...(expires === '' ? {} : { expires }) }
    const created = await clientOf(signal).createKey(subscriber, key)
    setMade(created.key)
    onChanged()
  }
  if (made !== null) return <MadeKey value={made} rights={rights} onClose={onClose} />
  const toggle = (right: KeyRight, on: boolean): void =>
    setRights(on ? [...rights, right] : rights.filter((other) => other !== right))
  return (
    <AskFirst
      title="New key"
      deed="Make it"
      ready={rights.length > 0}
      onClose={() => undefined}
      onCancel={onClose}
      onDeed={make}
    >
      <div class="actions">
        {[...rightTexts].map(([right, text]) => (
          <Check key={right} label={text} checked={rights.includes(right)} onChecked={(on) => toggle(right, on)} />
        ))}
      </div>
      <TextField
        label="Ends"
        value={expires}
        onValue={setExpires}
        placeholder="never"
        mono
        hint="A date such as 2027-01-01, in UTC. Empty: never."
      />
    </AskFirst>
  )
}

interface MadeProps {
  readonly value: string
  readonly rights: readonly KeyRight[]
  onClose(): void
}

function MadeKey({ value, rights, onClose }: MadeProps) {
  const shell = `export TIDEMARK_URL=${serviceUrl}\nexport TIDEMARK_KEY=${value}`
  return (
    <Dialog title="The key" onClose={onClose} onSend={onClose}>
      <div class="note warn">
        <p>The key is shown only once. Copy it now: it is not stored and cannot be shown again.</p>
      </div>
      <div class="actions">
        <code class="made-key">{value}</code>
        <CopyButton text={value} label="Copy the key" />
      </div>
      <p class="soft">
        Send it with each request as <code>Authorization: Bearer …</code>, or give it to the command line:
      </p>
      <pre class="code">{shell}</pre>
      <div class="actions">
        <CopyButton text={shell} label="Copy these lines" />
      </div>
      {rights.some((right) => right !== 'admin') && (
        <p class="small soft">The subscriptions of its subscriber define what it may push to and read.</p>
      )}
      <div class="actions end">
        <button type="submit" class="button first">
          I have it
        </button>
      </div>
    </Dialog>
  )
}
