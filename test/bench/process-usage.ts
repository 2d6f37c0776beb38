import { readFile } from 'node:fs/promises';

/** What Linux counts processor time in; 100 a second on every architecture we know (sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100;
const MIB = 1024;

/** Processor time of a process and of those of its children that have ended, in ms. Source: proc(5), `/proc/PID/stat`. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0); // utime, stime, cutime, cstime
  return (ticks * 1000) / TICKS_PER_SECOND;
}

/** Resident and anonymous memory of a process, MiB. Source: proc(5), `/proc/PID/smaps_rollup`. */
export async function memoryMib(pid: number): Promise<{ resident: number; anonymous: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { resident: kib('Rss') / MIB, anonymous: kib('Anonymous') / MIB };
}
