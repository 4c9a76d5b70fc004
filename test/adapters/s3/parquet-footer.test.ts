import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { footerLength, tailBytes } from '../../../adapters/s3/parquet-footer.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { shardSchema } from '../../../schema/columns/shard-schema.ts'
import { describeFooter, readTrinoFile } from './trino-files.ts'

const tailOf = (length: number, magic = 'PAR1') => {
  const tail = Buffer.from(`....${magic}`)
  tail.writeUInt32LE(length)
  return tail
}

describe('a footer', () => {
  it('shows one row and the columns of every shard in a file that Trino wrote', () => {
    expect(describeFooter(readTrinoFile())).toEqual({ rows: 1, schema: shardSchema(ratesColumns) })
  })

  it('needs only the end of a file that Trino wrote', () => {
    const file = readTrinoFile()
    const end = file.subarray(-(footerLength(file) + tailBytes))
    expect(end.length).toBeLessThan(file.length)
    expect(describeFooter(end)).toEqual(describeFooter(file))
  })

  it('takes the length that the file states', () => {
    expect(footerLength(tailOf(0))).toBe(0)
    expect(footerLength(tailOf(123_456_789))).toBe(123_456_789)
    expect(footerLength(Buffer.concat([Buffer.alloc(1000), tailOf(77)]))).toBe(77)
  })

  it.each([
    ['ends in another magic word', tailOf(4, 'PAR2')],
    ['is encrypted', tailOf(4, 'PARE')],
    ['is shorter than its tail', Buffer.from('PAR1')],
    ['is empty', Buffer.alloc(0)],
    ['is a page of HTML', Buffer.from('<html><body>not here</body></html>')],
  ])('counts as missing if the file %s', (_, bytes) => {
    expect(() => footerLength(new Uint8Array(bytes))).toThrow('does not end in a Parquet footer')
  })

  it('fails if it claims more bytes than the file has', () => {
    const file = Buffer.concat([Buffer.from('PAR1'), tailOf(5000)])
    expect(() => describeFooter(file)).toThrow('does not end in a Parquet footer')
  })
})

describe('a column', () => {
  const optional = { name: 'column', repetition_type: 'OPTIONAL' } as const
  it.each<[string, SchemaElement]>([
    ['varchar', { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
    ['bigint', { ...optional, type: 'INT64' }],
    ['integer', { ...optional, type: 'INT32' }],
    ['date', { ...optional, type: 'INT32', converted_type: 'DATE' }],
    ['decimal(18,4)', { ...optional, type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 }],
    ['unsupported: INT64 DECIMAL', { ...optional, type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 }],
    ['unsupported: INT64 DECIMAL', { ...optional, type: 'INT64', converted_type: 'DECIMAL', precision: 12, scale: 4 }],
    ['unsupported: INT64 TIME_MICROS', { ...optional, type: 'INT64', converted_type: 'TIME_MICROS' }],
    ['unsupported: INT64 DATE', { ...optional, type: 'INT64', converted_type: 'DATE' }],
    ['unsupported: INT32 UTF8', { ...optional, type: 'INT32', converted_type: 'UTF8' }],
    ['bigint', { ...optional, type: 'INT64', precision: 18, scale: 4 }],
    ['unsupported: DOUBLE ', { ...optional, type: 'DOUBLE' }],
    ['unsupported: BYTE_ARRAY ', { ...optional, type: 'BYTE_ARRAY' }],
    ['unsupported: INT32 INT_8', { ...optional, type: 'INT32', converted_type: 'INT_8' }],
  ])('gets the type %s', (type, element) => {
    const schema: SchemaElement[] = [{ name: 'root', num_children: 1 }, element]
    const file = parquetWriteBuffer({ columnData: [{ name: 'column', data: [] }], schema })
    expect(describeFooter(new Uint8Array(file))).toEqual({
      rows: 0,
      schema: [{ name: 'column', type, optional: true }],
    })
  })

  it.each<[string, SchemaElement]>([
    ['varchar ARRAY', { name: 'element', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
    ['unsupported: list of INT64', { name: 'element', repetition_type: 'OPTIONAL', type: 'INT64' }],
  ])('gets the type %s as a list', (type, element) => {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 1 },
      { ...optional, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      element,
    ]
    const file = parquetWriteBuffer({ columnData: [{ name: 'column', data: [] }], schema })
    expect(describeFooter(new Uint8Array(file)).schema).toEqual([{ name: 'column', type, optional: true }])
  })

  it('shows that it is required', () => {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 1 },
      { name: 'column', repetition_type: 'REQUIRED', type: 'INT64' },
    ]
    const file = parquetWriteBuffer({ columnData: [{ name: 'column', data: [] }], schema })
    expect(describeFooter(new Uint8Array(file)).schema).toEqual([{ name: 'column', type: 'bigint', optional: false }])
  })
})
