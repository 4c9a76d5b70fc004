import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { runCommand } from '../../../bin/command/run-command.ts'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import type { Stage } from '../../../lib/stage/stage.ts'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { findPython, installTool } from '../../contract/python.ts'
import { defaultStage, guardedStage, synthesise } from '../../templates/templates.ts'

const usage = `
Checks the synthesised templates by cfn-lint, which knows the resources of CloudFormation: properties and their values,
references, and limits.

Usage: npm run test:template

Installs cfn-lint below node_modules/.cache. Without Python 3.11 or later with venv, nothing is checked ("NOT checked").

Exit code: 0 if there are no findings, 1 if there are.

  --help  print this
`

/** Stages that together have every resource. */
const stages: readonly (readonly [name: string, stage: Stage])[] = [
  ['dev', defaultStage],
  [
    'every optional setting',
    {
      ...guardedStage,
      tracing: true,
      customDomain: {
        name: 'rates.example.com',
        certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
        hostedZone: { id: 'Z0123456789', name: 'example.com' },
      },
    },
  ],
  ['a warehouse of its own', requireStage('emulator')],
]

/** Rules whose findings are wanted. */
const ignored: Readonly<Record<string, string>> = {
  W3005: 'A function refers to its role, and the CDK lets it wait for the role and its policies.',
}

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const python = await findPython()
  if (python === undefined) {
    process.stdout.write('*** No Python 3.11 or later with venv was found: the templates were NOT checked. ***\n')
    return
  }
  const { bin, variables } = await installTool(python, 'cfn-lint', join(import.meta.dirname, 'requirements.txt'))
  const checks = ['--format', 'parseable', '--ignore-checks', ...Object.keys(ignored)]
  for (const [name, stage] of stages) {
    const template = join(synthesise(stage).folder, 'SearchService.template.json')
    const { status, stdout, stderr } = spawnSync(join(bin, 'cfn-lint'), [...checks, '--template', template], {
      env: variables,
      encoding: 'utf8',
    })
    if (status !== 0) throw new CommandFailed(`cfn-lint has findings in the stage ${name}:\n${stdout}${stderr}`)
    process.stdout.write(`cfn-lint has no findings in the stage ${name}\n`)
  }
})
