#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { Interrupted } from '../command-line/command-errors.ts'
import { openOutput } from '../command-line/printable.ts'
import { endOnClosedPipe, repeatByClock } from '../command-line/process.ts'
import { runCommandLine } from './run.ts'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The handler is used once: a second Ctrl-C ends the process at once.
  process.once(signal, () => interruption.abort(new Interrupted()))
}
endOnClosedPipe()

const world = {
  environment: process.env,
  input: process.stdin,
  output: openOutput(process.stdout),
  errors: openOutput(process.stderr),
  signal: interruption.signal,
  newId: randomUUID,
  now: () => performance.now(),
  today: () => new Date(),
  repeat: repeatByClock,
  home: homedir(),
  platform: process.platform,
}

process.exitCode = await runCommandLine(process.argv.slice(2), world, readVersion())

/** The published package has package.json one folder higher. */
function readVersion(): string {
  const here = new URL(import.meta.url)
  const manifest = new URL(here.pathname.endsWith('.js') ? '../../package.json' : '../package.json', here)
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return version
}
