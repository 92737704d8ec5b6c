import { useState } from 'preact/hooks'
import type { SubscriberAnswer } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clientOf } from '../../session/session.ts'
import { type QueryState, useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.tsx'
import { KeyTable } from './keys.tsx'
import { Subscriptions } from './subscriptions.tsx'

interface Props {
  readonly name: string
  readonly known: SubscriberAnswer | undefined
  readonly asked: QueryState<readonly SubscriberAnswer[]>
}

export function SubscriberPage({ name, known, asked }: Props) {
  const entries = useQuery((client) => client.subscriptions(name), [name])
  const [deleting, ask] = useState(false)
  return (
    <>
      <PageHead title={<bdi>{name}</bdi>} above={{ name: 'Access', at: ['access'] }}>
        <button type="button" class="button danger push-right" onClick={() => ask(true)}>
          Delete…
        </button>
      </PageHead>
      <ProblemNote error={entries.error ?? asked.error} />
      {known !== undefined && <KeyTable subscriber={name} keys={known.keys ?? []} onChanged={asked.again} />}
      {entries.value === null ? (
        entries.error === null && (
          <Panel title="Subscriptions">
            <Waiting />
          </Panel>
        )
      ) : (
        <Subscriptions
          key={JSON.stringify(entries.value.Items)}
          subscriber={name}
          kept={entries.value.Items}
          onChanged={entries.again}
        />
      )}
      {deleting && (
        <AskFirst
          title={`Delete ${name}`}
          deed="Delete it and its keys"
          danger
          onClose={() => ask(false)}
          onDeed={async (signal) => {
            await clientOf(signal).deleteSubscriber(name)
            notify(`The subscriber ${name} is deleted.`)
            asked.again()
            goTo(linkTo(['access']))
          }}
        >
          <p>All its keys and subscriptions end immediately. The rows that it pushed stay.</p>
        </AskFirst>
      )}
    </>
  )
}
