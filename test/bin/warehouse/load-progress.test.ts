import { describe, expect, it } from 'vitest'
import { showLoadProgress } from '../../../bin/warehouse/load-progress.ts'
import { openOutput } from '../../../client/command-line/printable.ts'
import { Progress } from '../../../client/command-line/progress.ts'
import type { Repeat } from '../../../client/command-line/world.ts'

const file = { file: 'a.json', index: 1, of: 2 }
const read = { step: 'read', ...file, size: 200e6, isRead: false } as const

const never: Repeat = () => ({ stop: () => undefined })

/** Opens the progress of a load, and records what it writes. */
function open({ isTTY = true, now, repeat = never }: { isTTY?: boolean; now: () => number; repeat?: Repeat }) {
  const lines: string[] = []
  const errors = openOutput({ isTTY, columns: 80, write: (text: string) => lines.push(text) > 0 })
  const line = new Progress({ errors, now, repeat }, false)
  return { line, lines, show: showLoadProgress(line, now) }
}

function watch(isTTY: boolean) {
  const beats: (() => void)[] = []
  let stopped = 0
  let time = 0
  const repeat: Repeat = (seconds, call) => {
    expect(seconds).toBe(isTTY ? 1 : 30)
    beats.push(call)
    return { stop: () => (stopped += 1) }
  }
  const beat = () => beats.map((call) => call())
  const { line, lines, show } = open({ isTTY, now: () => time, repeat })
  show({ step: 'reading', ...file })
  beat()
  time = 1000
  show({ ...read, bytesRead: 50e6, prices: 1234 })
  time = 1100
  show({ ...read, bytesRead: 60e6, prices: 1500 })
  beat()
  show({ ...read, bytesRead: 200e6, prices: 5000, isRead: true })
  beat()
  show({ step: 'written', ...file })
  line.end()
  expect(stopped).toBe(beats.length)
  return lines.join('')
}

describe('the progress of a load', () => {
  it('takes one live line on a terminal with bytes, prices and time left, throttled', () => {
    expect(watch(true)).toBe(
      [
        'reading a.json (1 of 2)\n',
        '\r\u001b[K  still opening a.json',
        // Each second.
        '\r\u001b[K  still opening a.json',
        '\r\u001b[K  25 % of 200 MB, 1,234 prices, 3 s left to read',
        '\r\u001b[K  30 % of 200 MB, 1,500 prices, 3 s left to read',
        '\r\u001b[K  30 % of 200 MB, 1,500 prices, 3 s left to read',
        '\r\u001b[K  200 MB read, 5,000 prices; sorting and writing',
        '\r\u001b[K',
      ].join(''),
    )
  })

  it('takes one plain line per file elsewhere, and its state every 30 seconds', () => {
    expect(watch(false)).toBe(
      [
        'reading a.json (1 of 2)\n',
        '  still opening a.json\n',
        '  30 % of 200 MB, 1,500 prices, 3 s left to read\n',
        '  200 MB read, 5,000 prices; sorting and writing\n',
      ].join(''),
    )
  })

  it('shows how much of a table of contents is read, and no query string', () => {
    const { line, lines, show } = open({ now: () => 1000 })
    const toc = 'https://rates.example/toc.json?token=secret'
    show({ step: 'listing', file: toc, bytesRead: 2.5e9, size: 10e9 })
    show({ step: 'reading', ...file, file: toc })
    line.end()
    expect(lines.join('')).toBe(
      [
        '\r\u001b[K  25 % of the table of contents, 10 GB',
        '\r\u001b[K',
        'reading https://rates.example/toc.json?… (1 of 2)\n',
        '\r\u001b[K  still opening https://rates.example/toc.json?…',
        '\r\u001b[K',
      ].join(''),
    )
  })

  it('adds up the files that are read at the same time', () => {
    let time = 1000
    const { line, lines, show } = open({ now: () => time })
    const other = { file: 'b.json', index: 2, of: 2 }
    show({ step: 'reading', ...file })
    show({ step: 'reading', ...other })
    time = 1100
    show({ ...read, bytesRead: 50e6, prices: 1000 })
    time = 2000
    show({ ...read, ...other, bytesRead: 100e6, prices: 234, size: 100e6, isRead: true })
    show({ step: 'written', ...other })
    time = 3000
    show({ ...read, bytesRead: 100e6, prices: 2000 })
    line.end()
    expect(lines.join('')).toBe(
      [
        'reading a.json (1 of 2)\n',
        '\r\u001b[K  still opening a.json',
        '\r\u001b[K',
        'reading b.json (2 of 2)\n',
        '\r\u001b[K  still opening 2 files',
        '\r\u001b[K  2 files: 25 % of 200 MB, 1,000 prices',
        '\r\u001b[K  2 files: 50 % of 300 MB, 1,234 prices, 1 being sorted and written',
        '\r\u001b[K  50 % of 200 MB, 2,000 prices, 2 s left to read',
        '\r\u001b[K',
      ].join(''),
    )
  })
})
