import type { EntityDescription } from '../../../../src/client/answers.ts'
import { countText } from '../../parts/formats.ts'
import { Empty } from '../../parts/layout.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'

export function EntityTable({ entities }: { readonly entities: readonly EntityDescription[] }) {
  if (entities.length === 0) {
    return (
      <Empty title="Nothing to read yet">
        <p>An entity appears when an ingest that feeds it is made, or when your key is given a subscription to one.</p>
      </Empty>
    )
  }
  return (
    <TableFrame name="Entities">
      <thead>
        <tr>
          <th>Entity</th>
          <th class="right">Rows</th>
          <th>Oldest</th>
          <th>Newest</th>
        </tr>
      </thead>
      <tbody>
        {entities.map((entity) => (
          <tr key={entity.entity}>
            <td class="main" dir="auto">
              {entity.entity}
            </td>
            <td class="right">{countText(entity.rows)}</td>
            <td class="tight">
              <Time iso={entity.first_date} />
            </td>
            <td class="tight">
              <Time iso={entity.last_date} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}
