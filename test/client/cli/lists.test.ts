import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readList } from '../../../client/cli/lists.ts'
import { type Filter, filterOf } from '../../../contract/filters.ts'
import { makeWorld } from './world.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lists-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function readFrom(text: string | Uint8Array, filter: Filter = filterOf('npis')): Promise<readonly string[]> {
  const path = join(folder, 'list.csv')
  await writeFile(path, text)
  return readList([`@${path}`], filter, makeWorld())
}

const npis = Array.from({ length: 10_000 }, (_, index) => String(1_000_000_000 + index))

describe('a list', () => {
  it('accepts values with commas, once or several times', async () => {
    expect(await readList(['99213, 99214', '450'], filterOf('billing_codes'), makeWorld())).toEqual([
      '99213',
      '99214',
      '450',
    ])
  })

  it.each([
    ['plain lines', '1000000001\n1000000002\n'],
    ['Windows line ends and no end of the last line', '1000000001\r\n1000000002'],
    ['a header', 'NPI\n1000000001\n1000000002\n'],
    ['a header with several columns', 'name,Provider NPI,city\n"Lee, Ann",1000000001,Ames\nPark,"1000000002",Troy\n'],
    ['semicolons and quotes', '"city";"npi"\r\n"Ames ""IA""";"1000000001"\r\n"Troy";"1000000002"\r\n'],
    ['tabs', 'npi\tcity\n1000000001\tAmes\n1000000002\tTroy\n'],
    ['empty lines and white space', '\n  1000000001  \n\n1000000002\n\n'],
    ['a byte order mark', '\ufeffnpi\r\n1000000001\r\n1000000002\r\n'],
    ['UTF-16, as spreadsheets write it', Buffer.from('\ufeffnpi\r\n1000000001\r\n1000000002\r\n', 'utf16le')],
  ])('can come from a file with %s', async (_, text) => {
    expect(await readFrom(text)).toEqual(['1000000001', '1000000002'])
  })

  it('may have 10,000 lines with Windows line ends and a header', async () => {
    expect(await readFrom(`npi\r\n${npis.join('\r\n')}\r\n`)).toEqual(npis)
  })

  it('keeps the leading zeros of codes', async () => {
    expect(await readFrom('code\n00100\n0450\n', filterOf('billing_codes'))).toEqual(['00100', '0450'])
  })

  it('accepts values from standard input', async () => {
    expect(await readList(['-'], filterOf('npis'), makeWorld({ input: 'npi\n1000000001\n' }))).toEqual(['1000000001'])
  })

  it.each([
    [
      '100000001\n1000000002\nabc\n',
      /list\.csv: line 1: "100000001" is not an NPI: ten digits, or 0; line 3: "abc" is not an NPI/,
    ],
    [Array.from({ length: 9 }, () => 'x').join('\n'), /line 5: "x" is not an NPI: ten digits, or 0; and 4 more$/],
    ['name,city\nLee,Ames\n', /none of its columns is called npi/],
    ['npi\n', /it has no values$/],
    ['', /it has no values$/],
    ['name,npi\nLee\n', /line 2: there is no value$/],
  ])('must not be %j', async (text, message) => {
    await expect(readFrom(text)).rejects.toThrow(message)
  })

  it('refuses a file that does not exist', async () => {
    await expect(readList(['@absent.csv'], filterOf('npis'), makeWorld())).rejects.toThrow(
      '--npi @absent.csv: the file does not exist',
    )
  })
})
