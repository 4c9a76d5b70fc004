import { describe, expect, it } from 'vitest'
import { repeatInstallation } from '../../../bin/command/cli-arguments.ts'

const hint = 'For a day, npm run loads -- rollback 1f3c undoes this load'

describe('a command that a message proposes', () => {
  it.each<[string, readonly string[], string]>([
    ['a stage', ['--stage', 'prod'], '--stage prod '],
    ['a stage after an equals sign', ['--stage=prod', 'list'], '--stage prod '],
    ['a data folder', ['a.json', '--data', '../wh'], '--data ../wh '],
    ['a folder with a space', ['--data', "my wife's rates"], "--data 'my wife'\\''s rates' "],
    ['both', ['--data', 'wh', '--json', '--stage', 'emulator'], '--stage emulator --data wh '],
    ['none', ['list', '--json'], ''],
  ])('names %s as the arguments do', (_, args, position) => {
    expect(repeatInstallation(hint, args)).toBe(`For a day, npm run loads -- ${position}rollback 1f3c undoes this load`)
  })

  it.each([
    'npm run load -- a.json --stage blue',
    'the stage blue is not deployed: npm run deploy -- --stage-file <path of blue.json>',
    'name another with --data, or create it with npm start -- --data x',
    'run the same npm run load again',
  ])('stays as it is if it says where, or is no whole command: %s', (text) => {
    expect(repeatInstallation(text, ['--stage', 'prod'])).toBe(text)
  })

  it('gets its installation although the next one has its own', () => {
    const text = 'npm run loads -- show 1; npm run loads -- cancel 1 --stage dev\nnpm run loads -- list'
    expect(repeatInstallation(text, ['--stage', 'prod'])).toBe(
      'npm run loads -- --stage prod show 1; npm run loads -- cancel 1 --stage dev\nnpm run loads -- --stage prod list',
    )
  })
})
