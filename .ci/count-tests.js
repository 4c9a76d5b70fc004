// Prints the tests that failed, each with the first lines of its message, then the end of the output of every step that
// failed without naming a test, then the line that counts all. Its argument is a folder with a JSON report of Vitest for
// each suite, and with the output of each step that failed as `<step>.failed`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const linesOfStep = 60
const folder = process.argv[2] ?? '.'
const reports = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ suite: file.replace('.json', ''), ...JSON.parse(readFileSync(join(folder, file), 'utf8')) }))

for (const { suite, testResults } of reports) {
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // Without tests: the file itself could not be run.
    if (status === 'failed' && failed.length === 0) printFailure(suite, name, '', [message])
    for (const test of failed) printFailure(suite, name, test.fullName, test.failureMessages)
  }
}

const sum = (key) => reports.reduce((total, report) => total + report[key], 0)
const steps = readdirSync(folder)
  .filter((file) => file.endsWith('.failed'))
  .map((file) => file.replace('.failed', ''))
  // A suite can fail without a failed test, by an error outside of its tests.
  .filter((step) => !reports.some(({ suite, numFailedTests }) => suite === step && numFailedTests > 0))
for (const step of steps) {
  say(`failed: the step "${step}". Its output ended with:`)
  const lines = readFileSync(join(folder, `${step}.failed`), 'utf8')
    .trimEnd()
    .split('\n')
  for (const line of lines.slice(-linesOfStep)) say(`    ${line.slice(0, 300)}`)
}

const failures = sum('numFailedTests') + steps.length + (reports.length > 0 ? 0 : 1)
say(`${sum('numPassedTests')} passed, ${failures} failed`)

function printFailure(suite, file, test, messages) {
  say(`failed in ${suite}: ${file} ${test}`)
  for (const line of messages.join('\n').split('\n').slice(0, 12)) say(`    ${line.slice(0, 300)}`)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
