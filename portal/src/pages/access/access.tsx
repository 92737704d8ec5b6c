import { useState } from 'preact/hooks'
import type { SubscriberAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { clientOf } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, usePlace } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.tsx'
import { SubscriberPage } from './subscriber.tsx'

async function allSubscribers(client: TidemarkClient): Promise<readonly SubscriberAnswer[]> {
  const found: SubscriberAnswer[] = []
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.subscribers({ limit: 1000, ...(token && { token }) })
    found.push(...page.Items)
    token = page.NextToken
  }
  return found
}

/** Manages access: subscribers, their keys and their subscriptions. */
export function Access() {
  const name = usePlace().path[1]
  const subscribers = useQuery(allSubscribers, ['subscribers'])
  const [making, make] = useState(false)
  if (name !== undefined) {
    const known = subscribers.value?.find((one) => one.name === name)
    return <SubscriberPage key={name} name={name} known={known} asked={subscribers} />
  }
  return (
    <>
      <PageHead title="Access">
        <button type="button" class="button first push-right" onClick={() => make(true)}>
          New subscriber
        </button>
      </PageHead>
      <ProblemNote error={subscribers.error} />
      <Panel title="Subscribers">
        {subscribers.value === null && subscribers.error === null && <Waiting />}
        {subscribers.value !== null && <SubscriberTable subscribers={subscribers.value} onMake={() => make(true)} />}
      </Panel>
      {making && <NewSubscriber onClose={() => make(false)} onMade={subscribers.again} />}
    </>
  )
}

interface TableProps {
  readonly subscribers: readonly SubscriberAnswer[]
  onMake(): void
}

function SubscriberTable({ subscribers, onMake }: TableProps) {
  if (subscribers.length === 0) {
    return (
      <Empty title="No subscriber yet">
        <p>
          A subscriber is someone who pushes or reads: a plant, a team, a program. It has keys, and subscriptions that
          define what the keys may access and until when.
        </p>
        <button type="button" class="button first" onClick={onMake}>
          Make the first one
        </button>
      </Empty>
    )
  }
  return (
    <TableFrame name="Subscribers">
      <thead>
        <tr>
          <th>Subscriber</th>
          <th class="right">Keys</th>
          <th>What its keys may do</th>
        </tr>
      </thead>
      <tbody>
        {subscribers.map(({ name, keys = [] }) => (
          <tr key={name}>
            <td class="main" dir="auto">
              <a href={linkTo(['access', name])}>{name}</a>
            </td>
            <td class="right">{keys.length}</td>
            <td>
              {[...new Set(keys.flatMap(({ rights }) => rights))].join(', ') || <span class="soft">no key yet</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

function NewSubscriber({ onClose, onMade }: { onClose(): void; onMade(): void }) {
  const [name, setName] = useState('')
  const make = async (signal: AbortSignal): Promise<void> => {
    await clientOf(signal).createSubscriber(name)
    notify(`The subscriber ${name} is made.`)
    onMade()
    goTo(linkTo(['access', name]))
  }
  return (
    <AskFirst title="New subscriber" deed="Make it" ready={name !== ''} onClose={onClose} onDeed={make}>
      <TextField label="Name" value={name} onValue={setName} required hint="Any text: a plant, a team, a program." />
    </AskFirst>
  )
}
