// Formats a measured time for people.

export function formatMs(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}
