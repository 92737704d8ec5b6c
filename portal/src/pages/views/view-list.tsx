import { plural } from '../../parts/formats.ts'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { session } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { ImportView } from './import-view.tsx'

/** The limit of one response. */
const listedMax = 1000

export function ViewList() {
  const views = useQuery((client) => client.views({ limit: listedMax }), ['views'])
  const items = views.value?.Items
  return (
    <>
      <PageHead title="Views" />
      <Panel
        title="Saved views"
        tools={session.get()?.key == null ? undefined : <ImportView views={items ?? []} onDone={views.again} />}
      >
        <ProblemNote error={views.error} />
        {items === undefined && views.error === null && <Waiting />}
        {items?.length === 0 && (
          <Empty title="No view yet">
            <p>A view is a named page of charts, values, tables and states that others can open too.</p>
            <p>Draw something in Explore, and choose “Save view…”.</p>
            <a class="button first" href={linkTo(['explore'])}>
              Go to Explore
            </a>
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <TableFrame name="Saved views">
            <thead>
              <tr>
                <th>Name</th>
                <th class="only-wide">Shows</th>
                <th class="only-wide">Of</th>
                <th>Saved by</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ name, cells, entities, subscriber, changed }) => (
                <tr key={name}>
                  <td class="main">
                    <a href={linkTo(['views', name])} dir="auto">
                      {name}
                    </a>
                  </td>
                  <td class="only-wide">{plural(cells, 'part')}</td>
                  <td class="only-wide">{entities.join(', ')}</td>
                  <td class="who" dir="auto">
                    {subscriber}
                  </td>
                  <td class="tight">
                    <Time iso={changed} />
                  </td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
        )}
      </Panel>
    </>
  )
}
