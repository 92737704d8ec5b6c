import { useState } from 'preact/hooks'
import type { SettingAnswer } from '../../../../src/client/answers.ts'
import { Check, TextField } from '../../parts/inputs.tsx'
import { Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { useQuery } from '../../shell/asking.ts'

/** The settings in force in the process that responds. */
export function SettingsTable() {
  const [part, setPart] = useState('')
  const [changedOnly, showChanged] = useState(true)
  const settings = useQuery((client) => client.settings(), ['settings'])
  const found = (settings.value?.Items ?? []).filter(
    ({ setting, usual }) =>
      (!changedOnly || !usual || part !== '') && setting.toLowerCase().includes(part.toLowerCase().trim()),
  )
  return (
    <Panel title="Settings in force">
      <ProblemNote error={settings.error} />
      {settings.value === null && settings.error === null && <Waiting />}
      {settings.value !== null && (
        <>
          <div class="inside grid-form ends">
            <TextField label="Find a setting" value={part} onValue={setPart} type="search" placeholder="limits" mono />
            <Check label="Only settings that differ from the default" checked={changedOnly} onChecked={showChanged} />
          </div>
          {found.length === 0 ? (
            <p class="inside soft">
              {part === '' ? 'Every setting has its default value.' : 'No setting has that in its name.'}
            </p>
          ) : (
            <TableFrame name="Settings">
              <thead>
                <tr>
                  <th>Setting</th>
                  <th>In force</th>
                  <th>What it is</th>
                </tr>
              </thead>
              <tbody>
                {found.map((setting) => (
                  <tr key={setting.setting}>
                    <td class="main mono tight">{setting.setting}</td>
                    <td class="mono">
                      <SettingValue setting={setting} />
                    </td>
                    <td class="soft wide-cell">{setting.description.replaceAll('`', '')}</td>
                  </tr>
                ))}
              </tbody>
            </TableFrame>
          )}
          <p class="inside soft small">
            Change them where the service is started: by a flag, an environment variable or its file of settings.
          </p>
        </>
      )}
    </Panel>
  )
}

function SettingValue({ setting: { value, secret, usual } }: { readonly setting: SettingAnswer }) {
  if (secret) return <span class="soft">{usual ? 'not set' : 'set, not shown'}</span>
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return text === '' ? <span class="soft">none</span> : <span>{text}</span>
}
