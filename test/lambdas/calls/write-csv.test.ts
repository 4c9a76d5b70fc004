import { describe, expect, it } from 'vitest'
import { writeCsv } from '../../../lambdas/get-rows/write-csv.ts'

const text = { name: 'name', type: 'varchar' }
const columns = [text, { name: 'negotiated_rate', type: 'decimal(18,4)' }, { name: 'codes', type: 'array(varchar)' }]

const lineOf = (name: string | null) => writeCsv({ columns: [text], rows: [{ name }] }).split('\r\n')[1]

describe('rows in CSV', () => {
  it('begin with the names of columns, and write NULL as nothing, amounts as they are and lists with commas', () => {
    const rows = [
      { name: 'MRI, "knee"', negotiated_rate: '-361.25', codes: ['11', '22'] },
      { name: null, negotiated_rate: null, codes: null },
    ]
    const lines = ['name,negotiated_rate,codes', '"MRI, ""knee""",-361.25,"11,22"', ',,', '']
    expect(writeCsv({ columns, rows })).toBe(lines.join('\r\n'))
  })

  it.each(['=1+1', '+1', '-1', '@x', '\tx', "'=1", '＝1'])(
    'put an apostrophe before %j, which looks like a formula',
    (name) => {
      expect(lineOf(name)).toBe(`'${name}`)
    },
  )

  it('put an apostrophe before a formula within a text, where a spreadsheet may begin a cell', () => {
    expect(lineOf('x;=1+1;y')).toBe("x;'=1+1;y")
  })

  it('keep line ends within quotes', () => {
    expect(writeCsv({ columns: [text], rows: [{ name: 'a\r\nb' }] })).toBe('name\r\n"a\r\nb"\r\n')
  })
})
