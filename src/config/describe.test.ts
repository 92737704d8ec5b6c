import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingFlags, settingGroups } from './describe.ts'
import { environmentName, flagName, settingEntries } from './settings.ts'

const path = new URL('../../docs/configuration.md', import.meta.url)
const tableForm = /\| Setting \|.*\|\n/s

/** The rows of the table in docs/configuration.md. */
function settingsTable(): string {
  const rows = settingEntries.map(([name, setting]) => {
    const flag = setting.secret ? '' : ` \`${flagName(name)}\``
    const cells = [
      `\`${name}\``,
      `\`${environmentName(name)}\`${flag}`,
      /[` ]/.test(setting.defaultText) ? setting.defaultText : `\`${setting.defaultText}\``,
      setting.allowed,
      setting.description,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return ['| Setting | Variable and flag | Default | Must be | What |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** `UPDATE_DOCS=1` rewrites the table. */
test('docs/configuration.md contains the current table of settings', () => {
  const document = readFileSync(path, 'utf8')
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(
      path,
      document.replace(tableForm, () => `${settingsTable()}\n`),
    )
    return
  }
  expect(tableForm.exec(document)?.[0]).toBe(`${settingsTable()}\n`)
})

test('each setting has a flag, except secret ones', () => {
  const flags = settingFlags()
  expect(flags.map(({ flag }) => flag)).toContain('--limits-query-time-ms')
  expect(flags.find(({ name }) => name === 'port')).toEqual({
    name: 'port',
    group: '',
    flag: '--port',
    description: 'The port to listen on; 0 takes a free one. (default: 8080)',
  })
  expect(flags.find(({ name }) => name === 'adminKey')).toBeUndefined()
})

test('each group of settings has a description', () => {
  expect(new Set(settingFlags().map(({ group }) => group))).toEqual(new Set(settingGroups.keys()))
})
