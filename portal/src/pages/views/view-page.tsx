import { useState } from 'preact/hooks'
import type { EntityDescription, SavedView, ViewDefinition } from '../../../../src/client/answers.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { PageHead, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { browserZone } from '../../parts/zoned-time.ts'
import { clientOf } from '../../session/session.ts'
import { useAction, useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, replaceWith, usePlace } from '../../shell/route.ts'
import { RangeBar } from '../explore/range-bar.tsx'
import type { View } from '../explore/view.ts'
import { frameOf, type Values, valuesOf, variableMark } from './definition.ts'
import { CellTools, EditBar } from './edit-bar.tsx'
import { exportView } from './import-view.tsx'
import { VariableBar } from './variable-bar.tsx'
import { ViewCell } from './view-cell.tsx'

export function ViewPage({ name }: { readonly name: string }) {
  const view = useQuery((client) => client.view(name), ['view', name])
  const entities = useQuery((client) => client.entities(), ['entities'])
  const error = view.error ?? entities.error
  if (view.value !== null && entities.value !== null) {
    return <Opened first={view.value} entities={entities.value} />
  }
  return (
    <>
      <PageHead title={<span dir="auto">{name}</span>} above={above} />
      {error === null ? <Waiting /> : <ProblemNote error={error} />}
    </>
  )
}

const above = { name: 'Views', at: ['views'] }

interface OpenedProps {
  readonly first: SavedView
  readonly entities: readonly EntityDescription[]
}

function Opened({ first, entities }: OpenedProps) {
  const { query } = usePlace()
  const [saved, setSaved] = useState(first)
  const [editing, edit] = useState(false)
  const saving = useAction()
  const { name, view, changed, may_change: mayChange } = saved
  const variables = view.variables ?? []
  const values = valuesOf(variables, query)
  const begun = frameOf(view, query)
  const plantZone = entities.find(({ entity }) => entity === view.cells[0]?.entity)?.time_zone
  const frame = { ...begun, zone: begun.zone === '' ? (plantZone ?? browserZone()) : begun.zone }
  const linkOf = (part: Partial<View>, chosen: Values): string => {
    const { range, from, to, zone } = { ...frame, ...part }
    const words = Object.fromEntries([...chosen].map(([variable, value]) => [`${variableMark}${variable}`, value]))
    return linkTo(['views', name], { range, from, to, zone, ...words })
  }
  const show = (part: Partial<View>): void => {
    const { right, ...others } = part
    // The axis of a line is saved only with the view.
    if (right === undefined) goTo(linkOf(others, values))
  }
  /** Saves each change immediately. Does not overwrite a version that someone else saved in the meantime. */
  const save = (next: ViewDefinition): Promise<boolean> =>
    saving.run(async (signal) => setSaved(await clientOf(signal).putView(name, next, changed)))
  return (
    <>
      <PageHead title={<span dir="auto">{name}</span>} above={above}>
        <div class="actions push-right">
          <CopyButton text={new URL(linkOf({}, values), location.href).href} label="Copy address" />
          <button type="button" class="button slim" onClick={() => exportView(saved)}>
            Export
          </button>
          {mayChange && (
            <button type="button" class="button slim" aria-pressed={editing} onClick={() => edit(!editing)}>
              {editing ? 'Done' : 'Edit'}
            </button>
          )}
        </div>
      </PageHead>
      <div class="stack">
        <RangeBar
          view={frame}
          entity={undefined}
          onChange={show}
          onAdjust={(part) => replaceWith(linkOf(part, values))}
        />
        <VariableBar
          variables={variables}
          values={values}
          cells={view.cells}
          entities={entities}
          onChoose={(chosen) => goTo(linkOf({}, chosen))}
        />
        <ProblemNote error={saving.error} />
        {editing && (
          <EditBar saved={saved} frame={frame} values={values} entities={entities} saving={saving} onSave={save} />
        )}
        <div class="view-cells">
          {view.cells.map((cell, place) => (
            <ViewCell
              key={place}
              {...{ cell, frame, values, entities }}
              tools={
                editing ? <CellTools {...{ view, place, values, entities }} saving={saving} onSave={save} /> : undefined
              }
              onChange={show}
            />
          ))}
        </div>
      </div>
    </>
  )
}
