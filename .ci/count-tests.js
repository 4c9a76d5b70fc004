// Prints the tests that failed, each with the first lines of its message, then the line that counts all. Its argument is
// a folder with a JSON report of Vitest for each suite.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
say(`${sum('numPassedTests')} passed, ${reports.length > 0 ? sum('numFailedTests') : 1} failed`)

function printFailure(suite, file, test, messages) {
  say(`failed in ${suite}: ${file} ${test}`)
  for (const line of messages.join('\n').split('\n').slice(0, 12)) say(`    ${line.slice(0, 300)}`)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
