import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { readText, root } from '../../templates/source-files.ts'

/** Pages for operators of a stage. */
const pages = ['costs', 'deploying', 'emulator', 'events', 'first-hour', 'operations', 'restoring', 'runbooks']
const page = pages.map((name) => readText(`docs/${name}.md`)).join('\n')
const scripts: Readonly<Record<string, string>> = JSON.parse(readText('package.json')).scripts

/** Commands that are not started here, because they run until they are stopped, or run the tests. */
const unstarted = new Set(['athena', 'test:integration'])

/** Sample values of placeholders; the last entry is for all that have none of their own. */
const placeholders: readonly (readonly [placeholder: RegExp, value: string])[] = [
  [/\$stage\b|<stage>|<name>/g, 'dev'],
  [/<table of contents>/g, 'https://payer.example/index.json'],
  [/<[a-z][^<>]*>/g, 'abc123'],
]

/** A command of a page, with its arguments as a shell parses them. */
interface Documented {
  readonly script: string
  readonly args: string
}

const blocks = [...page.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block)
const lines = blocks.flatMap((block) => block.replaceAll(/\\\n */g, '').split('\n'))
const prose = page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' '))
const complete = spans.filter((span) => span.includes('--stage') && !span.includes('…'))

const commands = [...lines, ...complete].flatMap((line): readonly Documented[] =>
  [...line.matchAll(/npm run ([\w:-]+)(?: --silent)?(?: -- ((?:'[^']*'|"[^"]*"|[^'"#;&|)])*))?/g)].map(
    ([, script = '', args = '']) => ({
      script,
      args: placeholders.reduce((words, [placeholder, value]) => words.replaceAll(placeholder, value), args).trim(),
    }),
  ),
)

/** The commands without those that differ from an earlier one only in values. */
const distinct = [
  ...new Map(
    commands.map((command) => {
      const { script, args } = command
      const words = args.replaceAll(/'[^']*'|"[^"]*"/g, '').split(' ')
      return [[script, words[0], ...words.filter((word) => word.startsWith('--')).sort()].join(' '), command] as const
    }),
  ).values(),
]

/** Runs a command in a folder without data, with an AWS endpoint that nothing listens on. */
async function run({ script, args }: Documented) {
  const program = /bin\/\S+\.ts/.exec(scripts[script] ?? '')?.[0]
  // Of the stages in this folder, only that one has a warehouse of its own.
  const words = script === 'check-warehouse' ? args.replace('--stage dev', '--stage emulator') : args
  const consent = /^(deploy|destroy)$/.test(script) && !args.includes('--yes') ? ' --yes' : ''
  const child = spawn('bash', ['-c', `exec "$NODE" ${root}/${program} ${words}${consent}`], {
    cwd: `${root}/test/bin`,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      NODE: process.execPath,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_MAX_ATTEMPTS: '1',
    },
  })
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { errors, exitCode }
}

describe('the commands for operators', () => {
  it('exist, and are read from the pages', () => {
    expect(distinct.length).toBeGreaterThan(25)
    expect(distinct.map(({ script }) => script)).toEqual(expect.arrayContaining(['status', 'webhooks', 'restore']))
    expect(distinct.filter(({ script }) => !(script in scripts))).toEqual([])
  })

  it.concurrent.each(distinct.filter(({ script }) => !unstarted.has(script)))(
    'npm run $script -- $args is accepted as it is printed',
    async (command) => {
      const { errors, exitCode } = await run(command)
      // 2 is for wrong arguments; here each fails because AWS does not answer, or there is no data folder.
      expect({ errors, exitCode }).toEqual({ errors: expect.not.stringContaining('(see --help)'), exitCode: 1 })
    },
    120_000,
  )
})
