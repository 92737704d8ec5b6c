import { useState } from 'preact/hooks'
import { TextField } from '../../parts/inputs.tsx'
import { Empty, PageHead, Panel } from '../../parts/layout.tsx'
import { linkTo } from '../../shell/link.ts'
import { goTo } from '../../shell/route.ts'
import { ownAliases } from './side.ts'

/** The ingests of who pushes: those that a subscription names, or any by its name. */
export function OwnIngests() {
  const [alias, setAlias] = useState('')
  const aliases = ownAliases()
  return (
    <>
      <PageHead title="Ingests" />
      <Panel title="You may push to">
        {aliases.length === 0 ? (
          <Empty title="No ingest is named by your subscriptions">
            <p>If one of them is for every ingest, open the one you push to by its name.</p>
          </Empty>
        ) : (
          <ul class="inside">
            {aliases.map((name) => (
              <li key={name}>
                <a href={linkTo(['ingests', name])}>{name}</a>
              </li>
            ))}
          </ul>
        )}
        <form
          class="inside"
          onSubmit={(event) => {
            event.preventDefault()
            if (alias !== '') goTo(linkTo(['ingests', alias]))
          }}
        >
          <TextField label="Open another by its name" value={alias} onValue={setAlias} mono />
          <div class="actions">
            <button type="submit" class="button" disabled={alias === ''}>
              Open
            </button>
          </div>
        </form>
      </Panel>
    </>
  )
}
