import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession, readSnippets, type Session } from './snippets.ts'

/** A command of a terminal, with those lines of its output that a document shows below it. */
interface Exchange {
  readonly command: string
  readonly shown: readonly string[]
}

function readExchanges(code: string): readonly Exchange[] {
  const exchanges: { command: string; shown: string[] }[] = []
  let isContinued = false
  for (const line of code.trimEnd().split('\n')) {
    const last = exchanges.at(-1)
    if (line.startsWith('$ ')) exchanges.push({ command: line.slice(2), shown: [] })
    else if (last === undefined) throw new TypeError(`"${line}" is below no command`)
    else if (isContinued) last.command += `\n${line}`
    else last.shown.push(line)
    isContinued = line.endsWith('\\')
  }
  return exchanges
}

/** Ids and sizes differ from run to run, columns are as wide as their values, and no-break spaces look like others. */
const normalize = (line: string) =>
  line
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/(\.parquet) +\d+/, '$1 <bytes>')
    .replace(/[ \u00a0]+/g, ' ')
    .trimEnd()

const [sessionOfReadme] = readSnippets('README.md').filter(({ code }) => code.startsWith('$ export RATE_SEARCH_URL='))
const exchanges = readExchanges(sessionOfReadme?.code ?? '').filter(({ command }) => !command.startsWith('export '))

let session: Session
beforeAll(async () => {
  session = await openSession()
})
afterAll(() => session[Symbol.asyncDispose]())

describe('the session of the README', () => {
  it('shows the output of some commands', () => {
    expect(exchanges.filter(({ shown }) => shown.length > 0).length).toBeGreaterThan(1)
  })

  it.each(exchanges.map((exchange) => [exchange.command.split('\n')[0], exchange] as const))(
    'gets the output that it shows: %s',
    async (_, { command, shown }) => {
      const lines = (await session.bash(command)).split('\n').map(normalize)
      let from = 0
      for (const line of shown.map(normalize)) {
        const at = lines.indexOf(line, from)
        expect(at, `${line}\nin\n${lines.slice(from).join('\n')}`).toBeGreaterThanOrEqual(0)
        from = at + 1
      }
      expect(lines.join()).not.toMatch(/error: /)
    },
  )
})
