import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { describeNextSteps } from '../../../bin/account/next-steps.ts'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { isThere, readText, root } from '../../templates/source-files.ts'

const steps = (name: string, isEmulated = false) =>
  describeNextSteps(
    { stage: requireStage(name), option: `--stage ${name}`, publicBaseUrl: 'https://api.example/dev', isEmulated },
    root,
  )

describe('the next steps after a deploy', () => {
  it('can be pasted: the organization and the key go from one command to the next', () => {
    // Stands for npm: prints its arguments, or what the commands print.
    const npm = `npm() { case "$*" in
      *create-organization*) echo org-1 ;;
      *"keys -- create org-1 "*) echo rates_key ;;
      *) echo "$* | $RATE_SEARCH_URL $RATE_SEARCH_KEY" ;;
    esac; }`
    const [, ...commands] = steps('dev').split('\n')
    const { stdout, status } = spawnSync('bash', ['-eu'], { input: [npm, ...commands].join('\n'), encoding: 'utf8' })
    expect(status).toBe(0)
    const [load, list] = stdout.trimEnd().split('\n')
    expect(load).toMatch(/^run load -- local\/samples\/\S+ .* --stage dev \| https:\/\/api\.example\/dev rates_key$/)
    expect(list).toBe('run --silent rate-search -- fee-schedules | https://api.example/dev rates_key')
  })

  it('load samples that exist into a disposable stage, and none into another', () => {
    const files = steps('dev').match(/local\/samples\/\S+/g) ?? []
    expect(files.length).toBeGreaterThanOrEqual(6)
    expect(files.filter((path) => !isThere(path))).toEqual([])
    expect(steps('prod')).toContain('  npm run load -- <in-network file>… --stage prod\n')
    expect(steps('prod')).not.toContain('samples')
  })

  it('check an own warehouse instead of loading, except that of the local Athena', () => {
    expect(steps('emulator')).toContain('  npm run check-warehouse -- --stage emulator\n')
    expect(steps('emulator', true)).toMatch(/# load needs the --data of npm run athena.*\n {2}npm run load -- local/)
  })

  it('name the grant that Lake Formation may require, except over an own warehouse', () => {
    expect(steps('dev')).toContain('docs/deploying.md#lake-formation')
    expect(readText('docs/deploying.md')).toMatch(/^### Lake Formation$/m)
    expect(steps('emulator')).not.toContain('lake-formation')
  })

  it('name commands that exist', () => {
    const { scripts } = JSON.parse(readText('package.json'))
    const names = [...steps('dev').matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name = '']) => name)
    expect(names).toEqual(['keys', 'keys', 'load', 'rate-search'])
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })
})
