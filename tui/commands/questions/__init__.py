"""The commands of benchmarks that ask questions, and of judges."""
