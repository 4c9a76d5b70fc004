import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArguments } from '../../../client/cli/options.ts'
import { filterOptions, nameSearch, readBound, readSearchRequest } from '../../../client/cli/search-request.ts'
import { fieldCases } from '../request-fields.ts'
import { makeWorld } from './world.ts'

const plan = ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold']
const fee_schedules = [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }]

async function read(...args: readonly string[]) {
  const { values, tokens } = readArguments([...plan, ...args], filterOptions)
  return readSearchRequest(values, tokens, makeWorld({ input: 'name,Provider ZIP\nLee,77030\n' }))
}

describe('the providers of a search', () => {
  it('come from lists of states, ZIP codes and taxonomies, which may be files', async () => {
    const path = join(tmpdir(), `taxonomies-${process.pid}.csv`)
    await writeFile(path, 'name;Taxonomy Code\r\nCardiology;207rc0000x\r\n')
    expect(await read('--state', 'tx,OK', '--state', 'TX', '--zip', '-', '--taxonomy', `@${path}`)).toEqual({
      providers: { states: ['TX', 'OK'], zips: ['77030'], taxonomies: ['207RC0000X'] },
      fee_schedules,
    })
  })

  it('stay out of the request if no list is given', async () => {
    expect(await read('--npi', '1000100002')).toEqual({ npis: [1000100002], fee_schedules })
  })

  it.each([
    ['--state', 'Texas', '--state: "Texas" is not a state or territory of two letters'],
    ['--zip', '77030-1501', '--zip: "77030-1501" is not a ZIP code of five digits, without its +4'],
    ['--taxonomy', 'Cardiology!', '--taxonomy: "Cardiology!" is not an NUCC taxonomy code of ten letters and digits'],
  ])('cannot be given as %s %s', async (flag, value, message) => {
    await expect(read(flag, value)).rejects.toThrow(message)
  })

  it('tell one search of the command line from another, in any order', async () => {
    const access = { url: 'http://localhost', key: 'rates_x' }
    const nameOf = async (...args: readonly string[]) => nameSearch(access, await read('--code', '99213', ...args))
    const named = await nameOf('--state', 'TX,OK')
    expect(await nameOf('--state', 'ok,tx')).toBe(named)
    const others = [await nameOf(), await nameOf('--state', 'TX'), await nameOf('--zip', '77030')]
    expect(new Set([named, ...others]).size).toBe(4)
    // A search of an earlier version is still found by its name.
    expect(others[0]).toBe('455c04ce245d52efec414534662d5e99')
  })
})

describe('the bound of what a search may read', () => {
  it.each([
    ['1', 1],
    ['500000000', 500_000_000],
    ['300kB', 300_000],
    ['2 mb', 2_000_000],
    ['20GB', 20_000_000_000],
    ['1T', 1_000_000_000_000],
  ])('understands %s', (text, bytes) => {
    expect(readBound({ 'max-bytes': text })).toEqual({ max_bytes: bytes })
  })

  it.each(['', '0', '-1', '1.5GB', '20GiB', 'GB', '9999999TB', '1e9'])('refuses "%s"', (text) => {
    expect(() => readBound({ 'max-bytes': text })).toThrow('--max-bytes must be a number of bytes such as')
  })

  it('leaves the name of a search as it is, because its rows are the same', () => {
    const request = { billing_codes: ['99213'], fee_schedules }
    const access = { url: 'http://localhost', key: 'rates_x' }
    expect(nameSearch(access, { ...request, max_bytes: 5 })).toBe(nameSearch(access, request))
  })
})

describe('the name of a search of the command line', () => {
  const access = { url: 'http://localhost', key: 'rates_x' }
  // The bound changes no row.
  const meaningful = fieldCases.filter(({ field }) => field !== 'max_bytes')

  it.each(meaningful)('differs if $field differs', ({ request, other }) => {
    expect(nameSearch(access, other)).not.toBe(nameSearch(access, request))
  })
})
