import { useState } from 'preact/hooks'
import { AskFirst } from '../../parts/dialog.tsx'
import { bytesText, countText } from '../../parts/formats.ts'
import { Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { clientOf } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'

const shownBackups = 20

/** The newest backups in the service's own folder, and a button to make another. */
export function Backups() {
  const [asking, ask] = useState(false)
  const backups = useQuery((client) => client.backups({ limit: shownBackups }), ['backups'], { everyMs: 15_000 })
  const { value } = backups
  return (
    <Panel
      title="Backups"
      tools={
        <button type="button" class="button" onClick={() => ask(true)}>
          Make a backup…
        </button>
      }
    >
      <p class="inside soft">
        A backup is a consistent copy of the running service, in a folder on its own machine.{' '}
        <span>
          <code>tidemark restore</code> creates a data folder from it. Copy the backup to another machine to survive the
          loss of this one.
        </span>
      </p>
      <ProblemNote error={backups.error} />
      {value === null && backups.error === null && <Waiting />}
      {value?.Items.length === 0 && <p class="inside">There is no backup yet.</p>}
      {value !== null && value.Items.length > 0 && (
        <TableFrame name="Backups">
          <thead>
            <tr>
              <th>Made</th>
              <th class="right">Size</th>
              <th class="right">Files</th>
              <th>Folder</th>
            </tr>
          </thead>
          <tbody>
            {value.Items.map(({ path, made, bytes, files }) => (
              <tr key={path}>
                <td class="tight">
                  <Time iso={made} />
                </td>
                <td class="right">{bytesText(bytes)}</td>
                <td class="right">{countText(files)}</td>
                <td class="wide-cell">
                  <code>{path}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {value !== null && value.NextToken !== null && (
        <p class="inside soft small">The newest {shownBackups} are shown.</p>
      )}
      {asking && <MakeBackup onClose={() => ask(false)} onMade={backups.again} />}
    </Panel>
  )
}

function MakeBackup({ onClose, onMade }: { onClose(): void; onMade(): void }) {
  return (
    <AskFirst
      title="Make a backup"
      deed="Make it"
      onClose={onClose}
      onDeed={async (signal) => {
        const { bytes } = await clientOf(signal).makeBackup()
        notify(`The backup is made: ${bytesText(bytes)}.`)
        onMade()
      }}
    >
      <p>Pushes and queries continue meanwhile.</p>
    </AskFirst>
  )
}
