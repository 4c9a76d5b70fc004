import * as v from 'valibot'
import { describe, expect, inject, it } from 'vitest'
import { hiveType, warehouseViews } from '../../lib/warehouse/warehouse-views.ts'
import { database, runOnTrino } from './run-on-trino.ts'
import { synthesiseWarehouse, type TableInput } from './stand-in/warehouse-template.ts'

const trino = inject('trino')
const inputs = synthesiseWarehouse().tables.map(({ TableInput: input }) => input)
const views = inputs.filter(({ TableType: type }) => type === 'VIRTUAL_VIEW').map((view) => [view.Name, view] as const)

/** The parts of a view's text that say what a reader expects. Source: Trino, `ViewDefinition`. */
const definition = v.object({
  originalSql: v.string(),
  columns: v.array(v.object({ name: v.string(), type: v.string() })),
})

function decode({ ViewOriginalText: text = '' }: TableInput) {
  const [, encoded] = /^\/\* Presto View: (\S+) \*\/$/.exec(text) ?? []
  if (encoded === undefined) throw new TypeError(`not the text of a view: ${text}`)
  return v.parse(definition, JSON.parse(Buffer.from(encoded, 'base64').toString()))
}

/** Returns the columns of a SELECT, with types as views spell them. */
async function columnsOf(select: string) {
  const { columns } = await runOnTrino(trino.url, `SELECT * FROM (${select}) WHERE false`)
  return columns.map(({ name, type }) => ({ name, type: type.replace(', ', ',') }))
}

it('finds every table of the template in Glue', async () => {
  const { rows } = await runOnTrino(trino.url, 'SHOW TABLES')
  expect(rows.flat()).toEqual(expect.arrayContaining(inputs.map(({ Name: name }) => name)))
})

it('finds the views of the template', () => {
  expect(views.map(([name]) => name)).toEqual(warehouseViews.map(({ name }) => name))
})

describe.each(views)('the view %s, as the template defines it', (name, view) => {
  it('opens, and has the columns that its text promises', async () => {
    expect(await columnsOf(`SELECT * FROM ${database}.${name}`)).toEqual(decode(view).columns)
  })

  it('states the types that Trino infers from its SQL, so that no reader takes it for stale', async () => {
    const { originalSql, columns } = decode(view)
    expect(await columnsOf(originalSql)).toEqual(columns)
  })

  it('lists the same columns in Glue as in its text', () => {
    const typeOf = new Map(warehouseViews.flatMap(({ columns }) => columns.map((column) => [column.name, column.type])))
    const expected = decode(view).columns.map((column) => {
      const type = typeOf.get(column.name)
      if (type === undefined) throw new TypeError(`no view has a column ${column.name}`)
      return { Name: column.name, Type: hiveType(type) }
    })
    expect(view.StorageDescriptor.Columns.map(({ Name, Type }) => ({ Name, Type }))).toEqual(expected)
  })
})
