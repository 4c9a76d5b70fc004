import { formatBytes } from '../../client/command-line/table.ts'
import { writeUnlisted } from '../../client/search-title.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { searchLink } from '../address/routes.ts'
import { Title } from '../display/heading.tsx'
import type { SearchRow } from './listed-words.ts'

/** The searches of an organization as a table. */
export const SearchTable = ({ rows }: { readonly rows: readonly SearchRow[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
  <section class="scroll searches" aria-label="Searches" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {['Search', 'State', 'Created', 'Payer', 'Rows', 'Size'].map((name, index) => (
            <th key={name} scope="col" class={index > 3 ? 'number' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.search.job_id} {...row} />
        ))}
      </tbody>
    </table>
  </section>
)

function Row({ search, title, state, created, payers, unlisted }: SearchRow) {
  const result = search.status === 'completed' ? search : undefined
  return (
    <tr>
      <td class="search-title">
        <a href={searchLink(search.job_id)}>
          <Title parts={title} />
        </a>
      </td>
      <td class="state">{state}</td>
      <td>{created}</td>
      <td class="payers">
        {payers.map((payer) => (
          <bdi key={payer} class="payer">
            {payer}
          </bdi>
        ))}
        {unlisted > 0 && writeUnlisted(unlisted)}
      </td>
      <td class="number">{result && formatNumber(result.rows)}</td>
      <td class="number">{result && formatBytes(result.bytes)}</td>
    </tr>
  )
}
