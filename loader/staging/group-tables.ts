import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { defineColumn, ownColumnsOf } from '../../schema/columns/rates.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { markedNumber } from '../parquet/marked-numbers.ts'
import type { NumberTable } from './number-table.ts'
import { DoubleColumn, UIntegerColumn } from './number-table.ts'
import type { StagedTable } from './staged-table.ts'
import type { StagingDatabase } from './staging-database.ts'

const createMemberColumns = () => ({ tin: new UIntegerColumn(), npi: new DoubleColumn() })

/** What the keys of inline groups begin with. */
export const inlineMark = '~'

/** The key of a reference's group: its id, unless that could be the key of an inline group. */
export const escapeKey = (id: string) => (id.startsWith(inlineMark) ? `${inlineMark}${id}` : id)

/** The key of an inline group: keys are in the order of their numbers. */
export const inlineKey = (number: number) => markedNumber(inlineMark, number)

/**
 * The provider groups of a part of a file that have references: `definitions` has a row each time a reference is defined, `tins` one for each
 * TIN of a definition, `members` one for each NPI of such a TIN, `variants` one for each id that is not written as a
 * plain number, `kept_npis` those that a filter keeps.
 */
export interface GroupTables {
  readonly definitions: StagedTable<
    'definition' | 'number' | 'key' | 'place' | 'npi_count' | 'row_count' | 'keeps_networks' | ColumnsOf<'reference'>
  >
  readonly tins: StagedTable<'tin' | 'definition' | ColumnsOf<'tin'>>
  readonly members: NumberTable<ReturnType<typeof createMemberColumns>>
  readonly missing: StagedTable<'number'>
  readonly variants: StagedTable<'number' | 'value'>
}

export async function createGroupTables(database: StagingDatabase, filter: RowFilter): Promise<GroupTables> {
  const definition = ['definition', 'uinteger'] as const
  const tin = ['tin', 'uinteger'] as const
  const number = ['number', 'bigint'] as const
  const tables = {
    definitions: await database.createTable('definitions', [
      definition,
      number,
      ['key', 'varchar'],
      ...ownColumnsOf('reference').map((name) => defineColumn(name)),
      ['place', 'integer'],
      ['npi_count', 'uinteger'],
      ['row_count', 'uinteger'],
      ['keeps_networks', 'boolean'],
    ]),
    tins: await database.createTable('tins', [
      tin,
      definition,
      ...ownColumnsOf('tin').map((name) => defineColumn(name)),
    ]),
    members: await database.createNumberTable('members', createMemberColumns()),
    missing: await database.createTable('missing', [number]),
    variants: await database.createTable('variants', [number, ['value', 'bigint']]),
  }
  const keptNpis = await database.createTable('kept_npis', [['npi', 'double']])
  for (const kept of filter.npis ?? []) keptNpis.add({ npi: kept })
  return tables
}
