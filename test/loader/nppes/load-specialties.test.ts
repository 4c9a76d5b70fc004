import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Specialty } from '../../../core/vocabulary/specialties.ts'
import { loadSpecialties } from '../../../loader/nppes/load-specialties.ts'
import { specialtiesPath } from '../../../local/samples/sample-data.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { zip } from '../../fetch/zip-builder.ts'

const header = 'Code,Grouping,Classification,Specialization,Definition,Notes,Display Name,Section'

let warehouse: TestWarehouse
let writtenSpecialties: readonly Specialty[] | undefined
beforeEach(async () => {
  warehouse = await createTestWarehouse()
  writtenSpecialties = undefined
})
afterEach(() => warehouse[Symbol.asyncDispose]())

const load = async (content: string | Uint8Array, name = 'nucc_taxonomy_999.csv') =>
  loadSpecialties(await warehouse.write(name, content), {
    warehouse: warehouse.folder,
    newId: () => 'specialties',
    specialties: {
      writeSpecialties: async (specialties) => {
        writtenSpecialties = specialties
      },
    },
  })

const lines = [
  header,
  '000000001x,Physicians," Harbor  Medicine ",Pilots,"Two lines,\r\nwith a ""quote""",[1/1/2026],,Individual',
  '000000002X,Agencies,Wharf,,,,,Non-Individual',
]

const expected = [
  { code: '000000001X', name: 'Harbor Medicine, Pilots', grouping: 'Physicians' },
  { code: '000000002X', name: 'Wharf', grouping: 'Agencies' },
]

describe('loading specialties', () => {
  it('reads the code, the name and the group of each line', async () => {
    expect(await load(`${lines.join('\r\n')}\r\n`)).toBe(2)
    expect(writtenSpecialties).toEqual(expected)
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('finds columns by their names, in any order', async () => {
    await load('Section,Specialization,Classification,Grouping,Code\nx,Pilots,Harbor Medicine,Physicians,000000001X\n')
    expect(writtenSpecialties).toEqual(expected.slice(0, 1))
  })

  it.each([
    ['a gzip', () => gzipSync(lines.join('\n')), 'nucc.csv.gz'],
    ['a zip', () => zip([Buffer.from(lines.join('\n'))], { names: ['nucc_taxonomy_999.csv'] }), 'nucc.zip'],
    ['UTF-8 with a mark in front', () => Buffer.from(`\ufeff${lines.join('\n')}\n`), 'nucc.csv'],
  ])('reads %s', async (_, content, name) => {
    expect(await load(content(), name)).toBe(2)
    expect(writtenSpecialties).toEqual(expected)
  })

  it('reads Windows-1252, in which spreadsheets save CSV', async () => {
    const text = Buffer.from(`${header}\n000000001X,A,Men\x92s caf\xe9,,,,,\n`, 'latin1')
    await load(text)
    expect(writtenSpecialties).toEqual([{ code: '000000001X', name: 'Men’s café', grouping: 'A' }])
  })

  it.each([
    ['an empty file', '', 'it is empty'],
    ['JSON', '{}', 'it is JSON'],
    ['other columns', 'Code,Name\n1,2\n', 'it has no column "Grouping", "Classification", "Specialization"'],
    ['no line', `${header}\n`, 'it has no code'],
    ['a line with too few fields', `${header}\n000000001X,A\n`, 'a line cannot be read'],
    ['a malformed code', `${header}\n1,A,B,,,,,\n`, '1 codes are malformed, repeated or without a name: "1"'],
    ['a repeated code', [...lines, lines[2]].join('\n'), '"000000002X"'],
    ['a code without a name', `${header}\n000000003X,A,,,,,,\n`, '"000000003X"'],
  ])('refuses %s, and changes nothing', async (_, content, fault) => {
    await expect(load(content)).rejects.toThrow(fault)
    expect(writtenSpecialties).toBeUndefined()
  })

  it('reads the samples', async () => {
    expect(await load(await readFile(specialtiesPath))).toBe(24)
  })
})
