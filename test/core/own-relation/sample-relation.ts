import type { ResultTable } from '../../../core/own-relation/ports.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'

/** The columns of `rates` as Athena returns their types. */
export const relationColumns = ratesColumns.map(({ name, type }) => ({
  name,
  type: type === 'varchar ARRAY' ? 'array' : type,
}))

type Row = Readonly<Record<string, string | undefined>>

/** A row without faults. */
export const goodRow: Row = {
  payer: 'Acme Health',
  plan: 'Gold PPO',
  npi: '1003000126',
  billing_code_type: 'RC',
  billing_code: '0450',
  negotiated_rate: '12.5000',
  rate_unit: 'usd',
  negotiated_type: 'negotiated',
  negotiation_arrangement: 'ffs',
  tin_type: 'ein',
  tin_value: '012345678',
}

/** Rows of a relation that has these columns. */
export const sampleRelation = (rows: readonly Row[], columns = relationColumns): ResultTable => ({
  columns,
  rows: rows.map((row) => columns.map(({ name }) => row[name])),
})
